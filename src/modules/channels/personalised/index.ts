export {
  personalisedErrors,
  textFault,
  messageOf,
  missingOf,
  pricedMessageOf,
  pricedPartsOf,
  templateOf,
  type TextParts,
} from './personalised-text.js';
