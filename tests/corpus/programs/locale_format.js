// source: numbers as the locale writes them
// plain: identical
// vary: different locale

exports.answer = () => ({ text: new Intl.NumberFormat().resolvedOptions().locale });
