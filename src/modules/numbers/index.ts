export {
  callingCodeOf,
  type CheckedNumber,
  checkNumber,
  numberWarnings,
  NumberCheck,
  type NumberFault,
  type NumberReason,
} from './number-check.js';
