import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { now } from '../../kernel/clock.js';
import { DutyGate, SharedTask } from '../../platform/duties/index.js';
import { safeError } from '../../platform/observability/index.js';
import { RouteDirectory } from './persistence/route-directory.js';
import { RouteStates } from './persistence/route-states.js';
import { UNHEARD } from './route-health.js';
import { RouteStandings } from './route-standings.js';

const LOOK_EVERY_MS = 2_000;

/** Notes when a route begins to stand otherwise: one API process for all, every two seconds. */
@Injectable()
export class RouteStateKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(RouteStateKeeper.name);
  private readonly task: SharedTask;

  constructor(
    private readonly directory: RouteDirectory,
    private readonly standings: RouteStandings,
    private readonly states: RouteStates,
    gate: DutyGate,
  ) {
    this.task = new SharedTask(gate, {
      name: 'route-states',
      everyMs: LOOK_EVERY_MS,
      work: () => this.look(),
      onFault: (error) => this.logger.warn({ err: safeError(error) }, 'states of routes could not be noted'),
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  async look(): Promise<void> {
    const routes = await this.directory.list();
    if (routes.length === 0) return;
    const { of } = await this.standings.read();
    await this.states.note(new Map(routes.map(({ id }) => [id, of.get(id) ?? UNHEARD])), now());
  }
}
