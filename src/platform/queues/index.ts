export { type HeldRoute, HolderTurns, type OnTurn } from './holder-turns.js';
export { QueueDashboard, redisAway, type ShownQueue } from './queue-dashboard.js';
export { QueuesModule, RelayNotifierModule } from './queues.module.js';
export { type DueRoute, RelayNotifier } from './relay-notifier.js';
export { SingleNotices } from './single-notices.js';
export { TurnQueues } from './turn-queues.js';
export { besideTurn, firstTurn, nextTurn, type RouteTurn, type TurnJob, turnJobId } from './queues.js';
