import { Module } from '@nestjs/common';
import { CellDirectory } from './cell-directory.js';

/** The directory of names over all cells, for a cell and for the front. */
@Module({ providers: [CellDirectory], exports: [CellDirectory] })
export class CellDirectoryModule {}
