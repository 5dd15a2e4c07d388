export { personalisedErrors, textFault } from './personalised.errors.js';
export {
  messageOf,
  missingOf,
  pricedMessageOf,
  pricedPartsOf,
  templateOf,
  type TextParts,
} from './personalised-text.js';
