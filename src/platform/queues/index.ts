export { type HeldRoute, HolderTurns, type OnTurn } from './holder-turns.js';
export { QueueDashboard, redisAway, type ShownQueue } from './queue-dashboard.js';
export { QueuesModule, RelayNotifierModule } from './queues.module.js';
export { type DueRoute, RelayNotifier, SingleNotices } from './worker-signals.js';
export { TurnQueues, besideTurn, firstTurn, nextTurn, type RouteTurn, type TurnJob, turnJobId } from './route-jobs.js';
