export { LaneQueues } from './lane-queues.js';
export { QueueDashboard } from './queue-dashboard.js';
export { QueuesModule, RelayNotifierModule } from './queues.module.js';
export { RelayNotifier } from './relay-notifier.js';
export { type LaneJob, laneJobId, QUEUES, QUEUE_NAMES, type QueueName } from './queues.js';
