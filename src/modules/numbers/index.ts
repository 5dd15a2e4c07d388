export { callingCodeOf } from './calling-codes.js';
export { type CheckedNumber, checkNumber } from './check-number.js';
