export { BusinessProfileModule } from './business-profile.module.js';
