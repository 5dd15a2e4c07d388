export { CellsModule } from './cells.module.js';
export { type Holdings } from './holdings.dto.js';
export { FrontModule } from './cells.module.js';
export { FrontRequests } from './front-requests.js';
export { PATH_RULES, ruleOf } from './path-rules.js';
