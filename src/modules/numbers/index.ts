export { callingCodeOf } from './calling-codes.js';
export { type CheckedNumber, checkNumber } from './check-number.js';
export { numberWarnings } from './number-warnings.js';
export { NumberCheck, type NumberFault, type NumberReason } from './number-check.js';
