export {
  callingCodeOf,
  checkNumber,
  numberWarnings,
  NumberCheck,
  type NumberFault,
  type NumberReason,
} from './number-check.js';
