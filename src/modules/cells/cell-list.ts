import { Inject, Injectable } from '@nestjs/common';
import type { FrontEnvironment } from '../../platform/config/index.js';
import { Metrics } from '../../platform/observability/index.js';

/** Injection token of the front's environment, which is not that of a cell. */
export const FRONT_ENVIRONMENT = Symbol('FRONT_ENVIRONMENT');

/** How long a cell that could not be reached is asked last, where any cell will do. */
const DOWN_MS = 1_000;
/** So that a cell that has fallen silent keeps its own requests waiting, and no others. */
const MOST_UNDER_WAY = 2_000;

interface CellState {
  readonly cell: string;
  readonly url: string;
  underWay: number;
  /** when it last could not be reached */
  downAt: number;
}

/** The cells, and how they were met last. */
@Injectable()
export class CellList {
  private readonly cells: ReadonlyMap<string, CellState>;

  constructor(@Inject(FRONT_ENVIRONMENT) { CELLS }: Pick<FrontEnvironment, 'CELLS'>, metrics: Metrics) {
    this.cells = new Map(CELLS.map((each) => [each.cell, { ...each, underWay: 0, downAt: -Infinity }]));
    metrics.gauge('front_requests_under_way', 'Requests that a cell has not answered yet', ['cell'], (gauge) => {
      for (const { cell, underWay } of this.cells.values()) gauge.set({ cell }, underWay);
    });
  }

  /** All letters, in the order of the configuration. */
  get letters(): string[] {
    return [...this.cells.keys()];
  }

  has(cell: string): boolean {
    return this.cells.has(cell);
  }

  /** @throws Error for a letter that no cell has */
  urlOf(cell: string): string {
    return this.stateOf(cell).url;
  }

  /** Whether the last request that was for the cell reached it; no cell is asked only to know. */
  isUp(cell: string): boolean {
    return this.stateOf(cell).downAt === -Infinity;
  }

  /** The letters with those last that could not be reached a moment ago. */
  upFirst(letters: readonly string[] = this.letters): string[] {
    const now = performance.now();
    const wasMissed = (cell: string): boolean => now - this.stateOf(cell).downAt <= DOWN_MS;
    return [...letters.filter((cell) => !wasMissed(cell)), ...letters.filter(wasMissed)];
  }

  met(cell: string): void {
    this.stateOf(cell).downAt = -Infinity;
  }

  missed(cell: string): void {
    this.stateOf(cell).downAt = performance.now();
  }

  /** @returns null when it has as many requests to answer as it may, else what ends this one, however often it is called */
  enter(cell: string): (() => void) | null {
    const state = this.stateOf(cell);
    if (state.underWay >= MOST_UNDER_WAY) return null;
    state.underWay += 1;
    let left = 1;
    return () => {
      state.underWay -= left;
      left = 0;
    };
  }

  private stateOf(cell: string): CellState {
    const state = this.cells.get(cell);
    if (!state) throw new Error(`No cell has the letter ${cell}`);
    return state;
  }
}
