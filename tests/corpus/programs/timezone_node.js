// source: local time
// plain: identical
// vary: different tz

exports.answer = () => ({ hour: new Date(1767700800000).getHours(), minute: new Date(1767700800000).getMinutes() });
