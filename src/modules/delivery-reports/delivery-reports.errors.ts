import { failed, invalid, notFound } from '../../kernel/define-error.js';

/** Errors of the delivery reports (reference/delivery-reports#getgsmreportphp), literally. */
export const reportErrors = {
  requestIdRequired: invalid('request_id_required', 'request_id is required', 'no identifier or alias given'),
  notFound: notFound('report_not_found', 'Report not found'),
  reportQuery: failed('report_query', 'Failed to prepare report query', 'server error'),
  detailsQuery: failed('details_query', 'Failed to prepare delivery details query', 'server error'),
};
