export { statisticsTables } from './persistence/table-rules.js';
export { SUBJECT_KINDS } from './domain/subject-kinds.js';
export { type TrafficPoint, TrafficReader } from './persistence/traffic-reader.js';
export { type RouteFigure, RouteFigures } from './route-figures.js';
export { StatisticsModule, StatisticsWorkerModule } from './statistics.module.js';
