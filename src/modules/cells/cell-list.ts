import { Inject, Injectable } from '@nestjs/common';
import type { FrontEnvironment } from '../../platform/config/index.js';
import { Metrics } from '../../platform/observability/index.js';

export const FRONT_ENVIRONMENT = Symbol('FRONT_ENVIRONMENT');

/** How long an unreachable cell comes last when any cell will do. */
const DOWN_MS = 1_000;
/** Limit per cell, so that a silent cell delays only its own requests. */
const MOST_UNDER_WAY = 2_000;

interface CellState {
  readonly cell: string;
  readonly url: string;
  underWay: number;
  downAt: number;
}

/** The configured cells, with the result of the last request to each. */
@Injectable()
export class CellList {
  private readonly cells: ReadonlyMap<string, CellState>;

  constructor(@Inject(FRONT_ENVIRONMENT) { CELLS }: Pick<FrontEnvironment, 'CELLS'>, metrics: Metrics) {
    this.cells = new Map(CELLS.map((each) => [each.cell, { ...each, underWay: 0, downAt: -Infinity }]));
    metrics.gauge('front_requests_under_way', 'Requests that a cell has not answered yet', ['cell'], (gauge) => {
      for (const { cell, underWay } of this.cells.values()) gauge.set({ cell }, underWay);
    });
  }

  get letters(): string[] {
    return [...this.cells.keys()];
  }

  has(cell: string): boolean {
    return this.cells.has(cell);
  }

  urlOf(cell: string): string {
    return this.stateOf(cell).url;
  }

  /** True if the last request reached the cell; no probes are sent. */
  isUp(cell: string): boolean {
    return this.stateOf(cell).downAt === -Infinity;
  }

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

  /** Counts a request in; returns an idempotent function that counts it out, or null at the limit. */
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
