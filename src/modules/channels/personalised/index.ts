export {
  personalisedErrors,
  textFault,
  messageOf,
  missingOf,
  pricedMessageOf,
  pricedPartsOf,
  type TextParts,
} from './personalised-text.js';
