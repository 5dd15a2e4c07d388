export { CellsModule } from './cells.module.js';
export { type Holdings, MOST_ASKED } from './holdings.js';
