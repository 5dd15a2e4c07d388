export {
  type Counts,
  DELAY_BOUNDS,
  type Figure,
  FIGURES,
  MINUTE_MS,
  SESSION_TRAFFIC,
  type Tally,
  Traffic,
  type TrafficOf,
  TrafficModule,
} from './traffic.js';
