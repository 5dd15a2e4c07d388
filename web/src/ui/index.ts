export { act } from './act.js';
export { listQuery, useAddress, useParam } from './address.js';
export { Button } from './button.js';
export { Chart } from './chart.js';
export type { Line } from './chart-properties.js';
export { type Column, DataTable } from './data-table.js';
export { ask, askReason, confirm, Dialog } from './dialog.js';
export { Empty } from './empty.js';
export { faultWithLabel } from './fault-words.js';
export { CheckField, Field, FileField, RadioField, SelectField, TextArea, TextField } from './fields.js';
export { type Filter, Filters } from './filters.js';
export { Form, FormProblem, type ServerForm, useServerForm } from './form.js';
export { Link } from './link.js';
export { Failed, type Loaded, LoadState } from './load-state.js';
export { momentIn, momentWords } from './moments.js';
export { browserZone, timeZones } from './time-zones.js';
export { Facts, Page, Section } from './page.js';
export { Pager } from './pager.js';
export { StatusBadge, type Tone } from './status-badge.js';
export { Tabs } from './tabs.js';
export { notify, notifyFault } from './toast.js';
export {
  CopyText,
  Count,
  counted,
  formatBytes,
  formatCount,
  formatShare,
  formatSpan,
  formatTime,
  MadeBy,
  Progress,
  Share,
  Time,
  useTimeZone,
} from './values.js';
