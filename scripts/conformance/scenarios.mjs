const tools = [
  'tools-list',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-error',
  'tools-call-with-progress',
]

const notServed = [
  [/^resources-|^sep-2164-/, 'serveMcp serves tools, not resources'],
  [/^prompts-/, 'serveMcp serves tools, not prompts'],
  [/^completion-/, 'serveMcp serves no prompts and resources, whose arguments are completed'],
]
/** Login scenarios of both versions of the suite. */
const logins = [
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'basic-cimd',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-step-up',
  'scope-retry-limit',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  'pre-registration',
  'resource-mismatch',
  'offline-access-scope',
  'offline-access-not-supported',
].map((name) => `auth/${name}`)

const otherClients = [
  /^auth\/(client-credentials-jwt|cross-app-access|enterprise-managed|dpop|wif-jwt-bearer)/,
  'callers authenticate as users, or with a client secret',
]

/**
 * Scenarios of the official suites, by package. `run` lists the scenarios to run, and `leftOut` the others, with reasons. The command fails if a
 * suite has a scenario that is missing here. `exempt` lists failing checks to ignore, with reasons.
 */
export const scenarios = {
  '@modelcontextprotocol/conformance': {
    server: {
      run: [
        'server-initialize',
        'ping',
        'logging-set-level',
        ...tools,
        'tools-call-with-logging',
        'tools-call-sampling',
        'tools-call-elicitation',
        'json-schema-2020-12',
        'elicitation-sep1034-defaults',
        'elicitation-sep1330-enums',
        'server-sse-multiple-streams',
        'dns-rebinding-protection',
      ],
      leftOut: [
        ...notServed,
        [/^server-sse-polling$/, 'serveMcp does not resume interrupted streams; the specification only recommends it'],
      ],
    },
    client: {
      run: [
        'initialize',
        'tools_call',
        'sse-retry',
        'elicitation-sep1034-client-defaults',
        ...logins,
        'auth/client-credentials-basic',
        'auth/2025-03-26-oauth-endpoint-fallback',
      ],
      leftOut: [
        otherClients,
        [
          /^auth\/2025-03-26-oauth-metadata-backcompat$/,
          'the issuer in the metadata of the suite differs from their URL, which RFC 8414 forbids',
        ],
      ],
    },
  },
  'conformance-next': {
    /** The other suite tests older versions. */
    version: '2026-07-28',
    server: {
      run: [
        'server-stateless',
        ...tools,
        'json-schema-2020-12',
        'server-sse-multiple-streams',
        'dns-rebinding-protection',
        'caching',
        'http-header-validation',
        'input-required-result-basic-elicitation',
        'input-required-result-basic-sampling',
        'input-required-result-request-state',
        'input-required-result-multi-round',
        'input-required-result-missing-input-response',
        'input-required-result-result-type',
        'input-required-result-unsupported-methods',
        'input-required-result-tampered-state',
        'input-required-result-capability-check',
        'input-required-result-ignore-extra-params',
        'input-required-result-validate-input',
        'tasks-lifecycle',
        'tasks-capability-negotiation',
        'tasks-wire-fields',
        'tasks-request-state-removal',
        'tasks-mrtr-input',
        'tasks-request-headers',
        'tasks-dispatch-and-envelope',
        'tasks-mrtr-composition',
      ],
      leftOut: [
        ...notServed,
        [/^http-custom-header-server-validation$/, 'served tools take no arguments as headers'],
        [
          /^input-required-result-(basic-list-roots|multiple-input-requests)$/,
          'tools do not ask for roots, which are deprecated',
        ],
        [/^input-required-result-non-tool-request$/, 'serveMcp serves tools, not prompts'],
        [/^tasks-status-notifications$/, 'the suite skips its only check; serveMcp sends no notifications of tasks'],
        [/^tasks-required-task-error$/, 'no tool requires a task: clients without tasks wait for the result'],
        [/^sep-2640-/, 'an extension for skills, which are not tools'],
      ],
      exempt: {
        'input-required-result-basic-elicitation': [
          /-incomplete$/,
          'the suite expects a certain key of the question, but servers choose the key',
        ],
        'input-required-result-ignore-extra-params': [
          /-params$/,
          'the suite expects a certain key of the question, but servers choose the key',
        ],
        caching: [/-(prompts|resources)-/, 'serveMcp serves tools, not prompts and resources'],
        'json-schema-2020-12': [
          /^sep-2106-/,
          'the root of the arguments has no keywords such as allOf, which clients and models reject; calls are validated with them',
        ],
        'tasks-lifecycle': [
          /^sep-2663-tasks-get-status-failed$/,
          'if a tool fails unexpectedly, the result is an error for the model, not a JSON-RPC error',
        ],
        'server-stateless': [
          /^sep-2575-(server-rejects-undeclared-capability|missing-capability-http-400)$/,
          'if the client lacks a capability, the tool returns an error to the model',
        ],
      },
    },
    client: {
      run: [
        'tools_call',
        'request-metadata',
        'http-standard-headers',
        'http-custom-headers',
        'http-invalid-tool-headers',
        'json-schema-ref-no-deref',
        'json-schema-2020-12-preservation',
        ...logins,
        'auth/authorization-server-migration',
        'auth/iss-supported',
        'auth/iss-not-advertised',
        'auth/iss-supported-missing',
        'auth/iss-wrong-issuer',
        'auth/iss-unexpected',
        'auth/iss-normalized',
        'auth/metadata-issuer-mismatch',
      ],
      leftOut: [
        otherClients,
        [/^auth\/client-credentials-basic$/, 'an extension, which the other suite tests'],
        [
          /^sep-2322-client-request-state$/,
          'its last call returns a result without `resultType`, which the SDK rejects; the checks of the scenario pass',
        ],
        [/^sep-2640-/, 'an extension for skills, which are not tools'],
      ],
    },
  },
}
