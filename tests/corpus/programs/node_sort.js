// source: a stable sort
// plain: identical
// vary: identical

exports.answer = () => ({ sorted: Array.from({ length: 30 }, (_, n) => (n * 17) % 30).sort((a, b) => a - b) });
