export { LaneQueues } from './lane-queues.js';
export { QueueDashboard, type ShownQueue } from './queue-dashboard.js';
export { QueuesModule, RelayNotifierModule } from './queues.module.js';
export { type DueRoute, RelayNotifier } from './relay-notifier.js';
export { type LaneJob, laneJobId } from './queues.js';
