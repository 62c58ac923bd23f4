'use strict';

const assert = require('assert');
const sum = require('../sum');

assert.strictEqual(sum([]), 0);
assert.strictEqual(sum([1, 2, 3]), 6);
console.log('2 tests passed');
