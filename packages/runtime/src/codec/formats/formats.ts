import { isDate, isDateTime, isTime } from './date-time.js'
import { isDuration } from './duration.js'
import { isEmail } from './email.js'
import { isHostname } from './hostname.js'
import { isIpv4, isIpv6 } from './internet-address.js'
import { isRegex } from './regex.js'
import { isUri, isUriReference } from './uri.js'
import { isUuid } from './uuid.js'

/** Whether a text has a format. Takes time linear in the length of the text. */
export type FormatTest = (text: string) => boolean

/** The formats that codecs assert. Every other `format` is an annotation. */
export const formats: ReadonlyMap<string, FormatTest> = new Map([
  ['date-time', isDateTime],
  ['date', isDate],
  ['time', isTime],
  ['duration', isDuration],
  ['email', isEmail],
  ['uri', isUri],
  ['uri-reference', isUriReference],
  ['uuid', isUuid],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['hostname', isHostname],
  ['regex', isRegex],
])
