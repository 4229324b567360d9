package message

// Words are what surrounds the facts of a message.
type Words struct {
	Where, Since, Count, Events, Open, Test string
	// Details names members of the data of events.
	Details map[string]string
	// Reasons say by its code why something was not sent.
	Reasons map[string]string
}

// English and Russian are the languages of the panel.
var (
	English = Words{
		Where: "Where", Since: "Since", Count: "How often", Events: "%d times, last at %s", Open: "Open in the panel",
		Test: "This is a test of notifications", Reasons: englishReasons,
		Details: map[string]string{
			"action_title": "Action", "cause": "Likely cause",
			"reason": "Reason", "error": "Error", "stage": "Stage", "detail": "Details", "version": "Version",
			"days_left": "Days left", "address": "Address", "failed": "Failed", "channel_name": "Channel",
			"valid_until": "Valid until", "grace_until": "Grace period until", "revision": "Revision",
		},
	}
	Russian = Words{
		Where: "Где", Since: "С какого времени", Count: "Сколько раз", Events: "%d, последний раз %s",
		Open: "Открыть в панели", Test: "Это проверка уведомлений", Reasons: russianReasons,
		Details: map[string]string{
			"action_title": "Действие", "cause": "Вероятная причина",
			"reason": "Причина", "error": "Ошибка", "stage": "Этап", "detail": "Подробности", "version": "Версия",
			"days_left": "Осталось дней", "address": "Адрес", "failed": "Не прошли", "channel_name": "Канал",
			"valid_until": "Действует до", "grace_until": "Льготный период до", "revision": "Ревизия",
		},
	}
)

// order is that of the details in a message.
var order = []string{
	"channel_name", "action_title", "cause", "reason", "stage", "error", "detail", "failed", "version", "days_left", "valid_until",
	"grace_until", "address", "revision",
}

// In gives the words of a language.
func In(language string) Words {
	if language == "ru" {
		return Russian
	}
	return English
}
