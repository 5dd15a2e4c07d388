export { CellDirectory, type CellName, EVERY_CELL } from './cell-directory.js';
export { CellDirectoryModule } from './cell-directory.module.js';
