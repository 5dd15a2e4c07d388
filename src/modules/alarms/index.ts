export { AlarmsModule, AlarmsWorkerModule } from './alarms.module.js';
export { recordBackup } from './alarms.store.js';
export { alarmTables } from './tables.js';
