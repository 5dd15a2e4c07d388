export { AlarmsModule, AlarmsWorkerModule } from './alarms.module.js';
export { noteBackup } from './alarms.store.js';
export { alarmTables } from './tables.js';
