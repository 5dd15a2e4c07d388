export { messageOf, missingOf, templateOf } from './personalised-text.js';
