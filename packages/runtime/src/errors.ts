/** Rules for the errors of common libraries: `new Runtime({ errorRules: vendorErrors })`. */

export { vendorErrors, vendorRules } from './adapters/vendor-errors.js'
export type { ErrorMeaning, ErrorRule } from './call/classify.js'
