export { HolderJobs, type OnRouteJob } from './holder-jobs.js';
export { QueueDashboard, redisAway, type ShownQueue } from './queue-dashboard.js';
export { QueuesModule, RelayNotifierModule } from './queues.module.js';
export { type DueRoute, RelayNotifier } from './worker-signals.js';
export {
  JobQueues,
  besideJob,
  firstJob,
  nextJob,
  queueOf,
  queuesOf,
  type RouteKey,
  type RouteJob,
  routeJobId,
} from './route-jobs.js';
