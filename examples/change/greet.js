'use strict';

module.exports = () => 'Hello, world!';
