export { LaneQueues } from './lane-queues.js';
export { QueueDashboard } from './queue-dashboard.js';
export { QueuesModule, RelayBellModule } from './queues.module.js';
export { RelayBell } from './relay-bell.js';
export { type LaneJob, laneJobId, QUEUES, QUEUE_NAMES, type QueueName } from './queues.js';
