'use strict';

// A linter that finds something: it is not required, so the run is accepted and says so.
console.error('sum.js: expected a comment that says what it does');
process.exit(1);
