'use strict';

const assert = require('assert');
const greet = require('../greet');

assert.strictEqual(greet(), 'Hello, world!');
