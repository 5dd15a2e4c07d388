export { GuideModule } from './guide.module.js';
