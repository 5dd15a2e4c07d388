import { AppError } from '../../kernel/app-error.js';

/** Errors of the delivery reports (reference/delivery-reports#getgsmreportphp), literally. */
export const reportErrors = {
  requestIdRequired: () => new AppError('invalid', 'request_id_required', 'request_id is required'),
  notFound: () => new AppError('not_found', 'report_not_found', 'Report not found'),
  reportQuery: () => new AppError('failed', 'report_query', 'Failed to prepare report query'),
  detailsQuery: () => new AppError('failed', 'details_query', 'Failed to prepare delivery details query'),
};
