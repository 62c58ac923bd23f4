// source: the time of day
// plain: different time
// vary: different time

exports.answer = () => ({ at: Date.now() });
