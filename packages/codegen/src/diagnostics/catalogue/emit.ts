import type { Catalogue } from './catalogue-entry.js'

/** What the emit room reports. */
export const emitCatalogue: Catalogue = {
  TG9001: {
    title: 'Generated code does not parse',
    cause:
      'Every generated file is parsed before anything is written. One of them did not parse, so nothing was written. ' +
      'No design should be able to cause this: it is a defect of the generator.',
    fix:
      'Please report it together with the names and texts of the tool that the message points to. Until it is fixed, ' +
      'plainer names and descriptions for that tool avoid it.',
  },
}
