export { personalisedErrors, textFault } from './personalised.errors.js';
export { messageOf, missingOf, pricedMessageOf, pricedPiecesOf, templateOf } from './personalised-text.js';
