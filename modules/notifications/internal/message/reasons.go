package message

import "strings"

// The codes of reasons. Those of connections are the codes of outbound.Cause.
const (
	AddressUnusable   = "mail_address_unusable"
	SettingsUnusable  = "mail_settings_unusable"
	MailStatus        = "mail_status"
	SignInRefused     = "mail_sign_in_refused"
	SignInUnknown     = "mail_sign_in_unknown"
	ReceiverStatus    = "receiver_status"
	ReceiverUnusable  = "receiver_address_unusable"
	TokenUnusable     = "messenger_token_unusable"
	MessengerRefused  = "messenger_refused"
	NoBotAPI          = "messenger_no_bot_api"
	ProxyUnusable     = "messenger_proxy_unusable"
	SecretsUnreadable = "channel_secrets_unreadable"
	Over              = "over_before_it_was_sent"
	Gathered          = "part_of_another_message"
	ChannelRemoved    = "channel_removed"
	ChannelUnusable   = "channel_unusable"
)

// place is where the detail of a reason stands in its words.
const place = "{detail}"

// Reason puts a reason into words; one with an unknown code is its detail.
func (w Words) Reason(r Reason) string {
	text, known := w.Reasons[r.Code]
	if !known {
		return r.Detail
	}
	return strings.ReplaceAll(text, place, r.Detail)
}

var englishReasons = map[string]string{
	AddressUnusable:      "an address of the mail cannot be used",
	SettingsUnusable:     "the settings of the mail server cannot be used",
	MailStatus:           "the mail server answered {detail}",
	SignInRefused:        "the mail server does not accept the user name and the password",
	SignInUnknown:        "the mail server offers no way to sign in that the panel knows",
	ReceiverStatus:       "the receiver answered HTTP {detail}",
	ReceiverUnusable:     "the address of the receiver cannot be used",
	TokenUnusable:        "the bot token cannot be used",
	MessengerRefused:     "the messenger refused: {detail}",
	NoBotAPI:             "HTTP {detail}, and the answer is not that of a bot API",
	ProxyUnusable:        "the address of the proxy cannot be used",
	SecretsUnreadable:    "the secrets of the channel cannot be opened; set them again",
	Over:                 "it was over before it was sent",
	Gathered:             "it became part of a message with a count",
	ChannelRemoved:       "the channel was removed",
	ChannelUnusable:      "the channel was removed, switched off or is not set up",
	"address_forbidden":  "the panel may not call this address",
	"timeout":            "no answer came in time",
	"name_not_found":     "the name of the server is not found",
	"connection_refused": "the server refused the connection",
	"connection_broken":  "the connection broke off",
	"tls_failed":         "an encrypted connection could not be made: the certificate is not trusted or does not fit",
	"no_connection":      "no connection could be made",
	"answer_too_large":   "the answer is too large",
	"answer_unreadable":  "the answer cannot be read",
	"redirect_refused":   "the server redirects to where the panel does not follow",
}

var russianReasons = map[string]string{
	AddressUnusable:      "адрес в письме непригоден",
	SettingsUnusable:     "с такими настройками почтового сервера отправить нельзя",
	MailStatus:           "почтовый сервер ответил {detail}",
	SignInRefused:        "почтовый сервер не принимает имя пользователя и пароль",
	SignInUnknown:        "почтовый сервер не предлагает ни одного способа входа, известного панели",
	ReceiverStatus:       "получатель ответил HTTP {detail}",
	ReceiverUnusable:     "адрес получателя непригоден",
	TokenUnusable:        "токен бота непригоден",
	MessengerRefused:     "мессенджер отказал: {detail}",
	NoBotAPI:             "HTTP {detail}, и это не ответ Bot API",
	ProxyUnusable:        "адрес прокси непригоден",
	SecretsUnreadable:    "секреты канала не открываются; задайте их заново",
	Over:                 "всё закончилось раньше, чем сообщение было отправлено",
	Gathered:             "вошло в сообщение со счётчиком",
	ChannelRemoved:       "канал удалён",
	ChannelUnusable:      "канал удалён, выключен или не настроен",
	"address_forbidden":  "панели нельзя обращаться по этому адресу",
	"timeout":            "ответ не пришёл вовремя",
	"name_not_found":     "имя сервера не найдено",
	"connection_refused": "сервер отклонил соединение",
	"connection_broken":  "соединение оборвалось",
	"tls_failed":         "не удалось установить защищённое соединение: сертификат не доверенный или не подходит",
	"no_connection":      "не удалось соединиться",
	"answer_too_large":   "ответ слишком большой",
	"answer_unreadable":  "ответ не читается",
	"redirect_refused":   "сервер перенаправляет туда, куда панель не идёт",
}
