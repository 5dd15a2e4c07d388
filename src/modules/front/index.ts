export { FrontModule } from './front.module.js';
export { FrontRequests } from './front-requests.js';
export { PATH_RULES, ruleOf } from './domain/ways.js';
