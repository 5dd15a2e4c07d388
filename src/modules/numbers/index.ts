export { callingCodeOf } from './calling-codes.js';
export { type CheckedNumber, checkNumber } from './check-number.js';
export { MOST_FAULTS, NumberCheck, type NumberFault, type NumberReason } from './number-check.js';
