import { WebClient } from '@slack/web-api'
import OpenAI from 'openai'
import Stripe from 'stripe'
import { describeClient, timedOut } from './client-suite.js'

describeClient(
  'stripe',
  (url, patience) => {
    const { hostname, port } = new URL(url)
    const options = { host: hostname, port: port || '80', protocol: 'http', timeout: patience } as const
    return new Stripe('sk_test_x', { ...options, maxNetworkRetries: 0, telemetry: false }).customers.retrieve('c')
  },
  { stopping: timedOut, abortable: false },
)

describeClient(
  'stripe over fetch',
  (url, patience) => {
    const { hostname, port } = new URL(url)
    const options = { host: hostname, port: port || '80', protocol: 'http', timeout: patience } as const
    const httpClient = Stripe.createFetchHttpClient()
    const client = new Stripe('sk_test_x', { ...options, httpClient, maxNetworkRetries: 0, telemetry: false })
    return client.customers.retrieve('c')
  },
  { stopping: null, abortable: false },
)

describeClient(
  'openai',
  (baseURL, patience, signal) => {
    const client = new OpenAI({ apiKey: 'x', baseURL, maxRetries: 0, timeout: patience })
    return client.models.retrieve('m', signal && { signal })
  },
  // Its time-out ends with the head of the answer.
  { stopping: null, abortable: true },
)

const nothing = (): void => {}
const quiet = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  getLevel: () => 'error' as never,
  setName: nothing,
}

describeClient(
  'slack',
  (url, patience) =>
    new WebClient('x', {
      slackApiUrl: `${url}/`,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      timeout: patience,
      logger: quiet,
    }).auth.test(),
  // It refuses any other Retry-After with an error that carries no fact at all.
  { stopping: timedOut, needsSeconds: true, abortable: false },
)
