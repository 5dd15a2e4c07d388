export { CellDirectory, type CellName, EVERY_CELL, CellDirectoryModule } from './cell-directory.js';
