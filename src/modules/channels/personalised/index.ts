export { personalisedErrors, textFault } from './personalised.errors.js';
export { messageOf, missingOf, templateOf } from './personalised-text.js';
