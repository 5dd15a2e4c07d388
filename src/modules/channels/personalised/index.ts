export { MissingVariables, personalisedErrors, textFault } from './personalised.errors.js';
export { completeMessageOf, messageOf, missingOf, templateOf } from './personalised-text.js';
