export { type Counts, DELAY_BOUNDS, type Figure, FIGURES } from './figures.js';
export { MINUTE_MS, SESSION_TRAFFIC, type Tally, Traffic, type TrafficOf } from './traffic.js';
export { TrafficModule } from './traffic.module.js';
