export { statisticsTables } from './tables.js';
export { SUBJECT_KINDS } from './statistics.js';
export { type TrafficPoint, TrafficReader } from './traffic.store.js';
export { type RouteFigure, RouteFigures } from './route-figures.js';
export { StatisticsModule, StatisticsWorkerModule } from './statistics.module.js';
