package demo

// What the people and the agents of the demo say. A few dozen sentences in several combinations look alive
// enough, and searching finds something.
var (
	questions = []string{
		"Where is my order? It should have arrived on Tuesday.",
		"I was charged twice for the same invoice, please refund one of them.",
		"How do I move my subscription from monthly to yearly billing?",
		"The export to CSV stops at 10,000 rows. Is that a limit of my plan?",
		"Can you explain the difference between a workspace and a project?",
		"My password reset mail never arrives.",
		"Which of your plans includes single sign-on?",
		"Please cancel my account and delete all my data.",
		"The webhook returns 500 since this morning, what changed?",
		"Is there an API to list all invoices of last year?",
		"I want to return the blue lamp, it arrived broken.",
		"Can I pay by bank transfer in euros?",
	}
	answers = []string{
		"Your order left the warehouse on Monday and is out for delivery today. I have sent you the tracking link.",
		"You are right, invoice 4211 was charged twice. I have refunded the second charge; it will show up within three days.",
		"Open **Settings → Billing** and choose *Yearly*. The unused part of this month is credited automatically.",
		"The export is limited to 10,000 rows on the Free plan. On Team it is one million rows.",
		"A workspace holds your whole company; a project holds the traces of one application.",
		"I have sent a new mail and confirmed that your address is not on our bounce list. Please look into the spam folder too.",
		"Single sign-on is part of **Business** and **Enterprise**.",
		"I have opened a deletion request. You will get a confirmation within 24 hours.",
		"A certificate expired at 06:00 UTC and was renewed at 08:40. Webhooks since then were sent again.",
		"Yes: `GET /v1/invoices?year=2025` lists them, 100 per page.",
		"I am sorry about that. Here is a return label; the refund follows when the parcel is scanned.",
		"Yes, choose *SEPA* at checkout. Orders ship when the transfer arrives, usually the next day.",
	}
	passages = []string{
		"Orders that are returned within 30 days are refunded in full, including shipping, when the item arrived damaged.",
		"Billing periods can be changed at any time. A change from monthly to yearly takes effect at once; the rest of the month is credited.",
		"Exports run in the background. Free plans are limited to 10,000 rows per export and three exports per day.",
		"Webhook deliveries that fail are repeated for 24 hours with growing pauses. A delivery can be sent again by hand.",
		"Single sign-on supports SAML 2.0 and OpenID Connect. Domains must be verified before they can be enforced.",
		"Personal data is erased within 30 days after a request. Invoices are kept for ten years, as the law asks.",
	}
	reviews = []string{
		"Arrived quickly, works as described.", "The battery lasts half a day at best. Disappointed.",
		"Beautiful lamp, but the plug is not for my country.", "Third one I buy. Still great.",
		"Support took a week to answer.", "Solid for the price.",
	}
	failures = []string{
		"RateLimitError: 429 Too Many Requests", "TimeoutError: no answer within 30 s",
		"ValidationError: tool arguments do not match the schema: missing property orderId",
		"ConnectionError: connection reset by peer",
	}
	releases     = []string{"v2.13.4", "v2.14.0", "v2.14.1"}
	environments = []string{"production", "production", "production", "staging"}
	plans        = []string{"free", "team", "business", "enterprise"}
	regions      = []string{"eu-west-1", "eu-west-1", "us-east-1", "ap-south-1"}
)

const systemPrompt = "You are the support assistant of ACME. Answer briefly and in the customer's language. " +
	"Use the tools to look things up; never invent order numbers. Ask before you refund more than 100 euros."
