// source: an unseeded generator
// plain: different random
// vary: different random

exports.answer = () => ({ pick: Math.random() });
