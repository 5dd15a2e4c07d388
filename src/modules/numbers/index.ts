export { countryGuess, countryOfZone, isCountry } from './countries.js';
export { checkNumber, NumberCheck, type NumberFault, type NumberReason } from './number-check.js';
export { callingCodeOf, countriesOf, isSpecial, planOf } from './plans.js';
export {
  assertStrict,
  type GivenNumbers,
  keptSpellings,
  type NumberHome,
  oneNumber,
  readerOf,
  readSender,
  readStored,
  type SenderForm,
  spellingsToFind,
  numbersInvalid,
  strictWarnings,
} from './readers.js';
