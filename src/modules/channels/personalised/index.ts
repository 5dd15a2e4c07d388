export { personalisedErrors, textFault } from './personalised.errors.js';
export { messageOf, missingOf, pricedMessageOf, templateOf } from './personalised-text.js';
