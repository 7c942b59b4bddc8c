/**
 * The scenarios of the official suite, each either run or left out for a reason. One that the suite has and this list has not
 * fails the command.
 */
export const scenarios = {
  server: {
    run: [
      'server-initialize',
      'ping',
      'logging-set-level',
      'tools-list',
      'tools-call-simple-text',
      'tools-call-image',
      'tools-call-audio',
      'tools-call-embedded-resource',
      'tools-call-mixed-content',
      'tools-call-with-logging',
      'tools-call-error',
      'tools-call-with-progress',
      'tools-call-sampling',
      'tools-call-elicitation',
      'json-schema-2020-12',
      'elicitation-sep1034-defaults',
      'elicitation-sep1330-enums',
      'server-sse-multiple-streams',
      'dns-rebinding-protection',
    ],
    leftOut: [
      [/^resources-/, 'serveMcp serves tools, not resources'],
      [/^prompts-/, 'serveMcp serves tools, not prompts'],
      [/^completion-/, 'completes arguments of prompts and resources'],
      [/^server-sse-polling$/, 'streams that broke off are not resumed; the suite asks for it as a should'],
    ],
  },
  client: {
    run: ['initialize', 'tools_call', 'sse-retry'],
    leftOut: [
      [/^auth\//, 'signing in is the matter of the application, which gives `headers` or a `fetch`'],
      [/^elicitation-/, 'callers offer no elicitation: they have no user to ask'],
    ],
  },
}
